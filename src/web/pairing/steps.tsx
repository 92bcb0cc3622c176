export function Steps({ steps }: { steps: readonly string[] }) {
  return (
    <ol className="steps">
      {steps.map((step) => (
        <li key={step}>
          <span>
            {step
              .split(/(\*\*.+?\*\*)/)
              .map((part) =>
                part.startsWith("**") ? <strong key={part}>{part.slice(2, -2)}</strong> : part,
              )}
          </span>
        </li>
      ))}
    </ol>
  );
}
