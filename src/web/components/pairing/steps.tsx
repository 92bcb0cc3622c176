type Step = readonly [before: string, strong: string, after: string];

/** What to press on the telephone, one after the other. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="steps">
      {steps.map(([before, strong, after]) => (
        <li key={strong}>
          <span>
            {before}
            <strong>{strong}</strong>
            {after}
          </span>
        </li>
      ))}
    </ol>
  );
}
