import { expect, test } from "vitest";
import { checkStyles } from "../../scripts/styles.ts";

const check = (css: string, tsx: string) =>
  checkStyles(
    new Map([
      ["src/ui/card.module.css", css],
      ["src/ui/card.tsx", `import styles from "./card.module.css";\n${tsx}`],
    ]),
  );

test("classes that exist and are used pass", () => {
  const css = '.card-head { color: red; }\n.card-head [data-ui~="btn"] { color: red; }';
  expect(check(css, 'const a = <p className={styles.cardHead} data-ui="btn" />;')).toEqual([]);
});

test.each([
  ["a misspelt class", ".card {}", "const a = <p className={styles.crad} />; styles.card;", "has no .crad"],
  ["an unused class", ".card {}\n.gone {}", "styles.card;", "card.module.css:2 nothing uses .gone"],
  [
    "a class as text",
    ".card {}",
    'const a = <p className="card" id={styles.card} />;',
    "card.tsx:2 a class is",
  ],
  ["a text in clsx", ".card {}", 'const a = <p className={clsx(styles.card, x && "low")} />;', "not by text"],
  [
    "a class chosen at run time",
    ".card {}",
    "styles.card; styles[look];",
    "name each class of card.module.css",
  ],
  ["Tailwind", "", 'import "tailwindcss";', "Tailwind is not used here"],
  ["a selector", ".card {}", 'styles.card; const a = ".card input";', "find a part by data-ui"],
  ["a part that nothing draws", '.card [data-ui~="btn"] {}', "styles.card;", 'nothing draws data-ui="btn"'],
])("%s fails", (_, css, tsx, error) => {
  expect(check(css, tsx)).toEqual([expect.stringContaining(error)]);
});
