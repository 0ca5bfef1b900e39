/** Mark is Atelier's logo. */
export function Mark() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#3b4cca" />
      <path
        d="M8.500 23.500 16 8l7.500 15.500M11.300 18.500h9.400"
        fill="none"
        stroke="#fff"
        stroke-width="2.600"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
