type Part = "page" | "server";
export function staleParts(root?: string): Part[];
export function buildWithStamps(
  parts: readonly Part[],
  build: () => Promise<unknown>,
  use: () => void,
  root?: string,
): Promise<void>;
