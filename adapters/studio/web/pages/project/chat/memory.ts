// What is kept in the browser, as JSON. Storage that is full or off keeps nothing.

export function kept<T>(name: string, otherwise: T): T {
  try {
    return (JSON.parse(localStorage.getItem(name) ?? 'null') as T | null) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // It is not kept.
  }
}

export function forget(name: string): void {
  localStorage.removeItem(name);
}
