import type { Texts } from '@/i18n/en'

export const de: Texts = {
  greeting: 'Willkommen',
  hours: 'Öffnungszeiten',
  contact: 'Kontakt',
}
