export function Mark() {
  return (
    <svg viewBox="0 0 28 28" aria-hidden="true">
      <rect width="28" height="28" rx="8" fill="var(--accent)" />
      <path
        d="M8.2 6.5h11.6c.9 0 1.7.8 1.7 1.7v7.6l-5.7 5.7H8.2c-.9 0-1.7-.8-1.7-1.7V8.2c0-.9.8-1.7 1.7-1.7z"
        fill="var(--on-accent)"
      />
      <path d="M21.5 15.8h-4c-.95 0-1.7.75-1.7 1.7v4z" fill="var(--accent-line)" />
      <path d="M10 10.9h8M10 14.3h4.5" stroke="var(--accent)" strokeWidth="1.9" strokeLinecap="round" />
    </svg>
  );
}
