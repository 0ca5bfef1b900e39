export const en = {
  greeting: 'Welcome',
  hours: 'Opening hours',
  contact: 'Contact us',
}

export type Texts = typeof en
