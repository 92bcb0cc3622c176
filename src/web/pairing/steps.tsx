import styles from "./pairing.module.css";
export function Steps({ steps }: { steps: readonly string[] }) {
  return (
    <ol className={styles.steps}>
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
