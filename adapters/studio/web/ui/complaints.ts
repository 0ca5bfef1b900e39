import { createContext } from 'preact';

/** Complaints maps the ids of a form's fields to what is wrong with them. */
export const Complaints = createContext<Record<string, string>>({});
