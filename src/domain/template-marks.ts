/** What an agent writes in its answer to have a template of the library sent. */
export const templateMark = (name: string): string => `[[/${name}]]`;

const NAME_MOST = 200;
// Models escape brackets, and set a mark in bold or as code.
const OPEN = String.raw`\\?\[\\?\[[ \t]*/`;
const MARK = new RegExp(String.raw`([*_${"`"}]{0,3})${OPEN}([^\n]{1,${NAME_MOST}}?)\\?\]\\?\](?!\])\1`, "g");
const BROKEN = new RegExp(`${OPEN}[^\n]*`, "g");

/** The text without any mark, whole or broken, and the names once each. */
export function takeMarks(text: string): { text: string; names: string[] } {
  const names = new Map<string, string>();
  const rest = text
    .replace(MARK, (_, __, typed: string) => {
      const name = typed.replace(/\\(?=[^\p{L}\p{N}\s])/gu, "").trim();
      if (name !== "") names.set(name.toLowerCase(), name);
      return "";
    })
    .replace(BROKEN, "");
  if (rest === text) return { text, names: [] };
  const tidy = rest.replace(/[ \t]+$/gm, "").replace(/\n{3,}/g, "\n\n");
  return { text: tidy.trim(), names: [...names.values()] };
}
