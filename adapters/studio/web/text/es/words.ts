import { countingIn } from '../counting';

export const { plural, number, list, weekday } = countingIn('es');
