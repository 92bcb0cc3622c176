/** What a browser needs to show the screens of some addresses: paths of files of the built page. */
type Files = { scripts: readonly string[]; styles: readonly string[] };

/**
 * A screen by its address, in which `$name` stands for anything. `framed`: it is shown to those who are signed in. `paint`: what the page
 * shows until its script has run, as HTML.
 */
export type ScreenFiles = Files & { path: string; framed: boolean; paint: string };

/** Written with the page by scripts/first-files-plugin.ts, for each language. */
export type FirstFiles = {
  /** Puts the questions of signed-in screens, before the rest of the page's script is there. */
  questions: string;
  screens: readonly ScreenFiles[];
};

/** The name under which it lies beside the page. */
export const FIRST_FILES = "first-files.json";

const NOT_SIGNED_IN = "/login";

/** The screen that will be shown at `path`: who is not `signedIn` will be led to the login. Undefined for a path that is no screen's. */
export function screenShown(files: FirstFiles, path: string, signedIn: boolean): ScreenFiles | undefined {
  const asked = screenAt(files.screens, path);
  return asked?.framed && !signedIn ? screenAt(files.screens, NOT_SIGNED_IN) : asked;
}

/**
 * The tags by which a browser fetches what a screen is made of together with the page, not after the page's script has run and asked for
 * it. The font is not among them: text stands before it is there, and on a slow line its 48 kB would come before the script's.
 */
export function firstTags(files: FirstFiles, shown: ScreenFiles): string {
  const tags = [
    // Runs as soon as it is there; the page's own script waits for all of its parts.
    shown.framed ? `<script type="module" async crossorigin src="${files.questions}"></script>` : "",
    ...shown.styles.map((file) => `<link rel="stylesheet" crossorigin href="${file}">`),
    ...shown.scripts.map((file) => `<link rel="modulepreload" crossorigin href="${file}">`),
  ];
  return tags.join("");
}

/** The screen at an address; one that is named whole comes before one with a part that may be anything. */
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

/** Slashes at its end aside. Not by a pattern, which would look from each of thousands of slashes on whether the end comes after them. */
function partsOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(0, parts.findLastIndex((part) => part !== "") + 1);
}
