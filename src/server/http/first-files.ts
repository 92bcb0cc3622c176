/** Paths of built files that a screen needs. */
type Files = { scripts: readonly string[]; styles: readonly string[] };

/** `$name` in `path` is a wildcard. `framed`: for signed-in users. `paint`: HTML until the script runs. */
export type ScreenFiles = Files & { path: string; framed: boolean; paint: string };

/** Written per language by scripts/first-files-plugin.ts. */
export type FirstFiles = {
  /** Prefetches for signed-in screens before the main script. */
  questions: string;
  screens: readonly ScreenFiles[];
};

export const FIRST_FILES = "first-files.json";

const NOT_SIGNED_IN = "/login";

/** The login without `signedIn`; undefined if no screen matches. */
export function screenShown(files: FirstFiles, path: string, signedIn: boolean): ScreenFiles | undefined {
  const asked = screenAt(files.screens, path);
  return asked?.framed && !signedIn ? screenAt(files.screens, NOT_SIGNED_IN) : asked;
}

/**
 * Loads files along with the page, not after its script. Not the font: text shows without it, and its 48 kB
 * would delay the script.
 */
export function firstTags(files: FirstFiles, shown: ScreenFiles): string {
  const tags = [
    // Runs at once; the main script waits for its imports.
    shown.framed ? `<script type="module" async crossorigin src="${files.questions}"></script>` : "",
    ...shown.styles.map((file) => `<link rel="stylesheet" crossorigin href="${file}">`),
    ...shown.scripts.map((file) => `<link rel="modulepreload" crossorigin href="${file}">`),
  ];
  return tags.join("");
}

/** Exact paths precede wildcards. */
function screenAt(screens: readonly ScreenFiles[], path: string): ScreenFiles | undefined {
  const parts = partsOf(path);
  const matches = screens.filter((screen) => {
    const pattern = partsOf(screen.path);
    return (
      pattern.length === parts.length &&
      pattern.every((part, at) => part === parts[at] || (part.startsWith("$") && parts[at] !== ""))
    );
  });
  return matches.find((screen) => !screen.path.includes("$")) ?? matches[0];
}

/** Without trailing slashes; a regular expression is quadratic on thousands of slashes. */
function partsOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(0, parts.findLastIndex((part) => part !== "") + 1);
}
