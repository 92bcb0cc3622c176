import { normalizeLine, TURNING } from "./message-text.ts";

const LONGEST = 200;
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}:*?"<>|]+/gu;

/** Without folders, control characters and characters that reverse text; keeps its ending when shortened. */
export function attachmentName(typed: string): string {
  const last = typed.split(/[/\\]/).at(-1) ?? "";
  const name = normalizeLine(last.replace(TURNING, "").replace(UNSAFE, " ")).replace(/^[ .]+|[ .]+$/g, "");
  const ending = endingOf(name);
  if ([...name].length <= LONGEST) return name;
  const tail = ending === "" ? "" : `.${ending}`;
  return [...name.slice(0, name.length - tail.length)].slice(0, LONGEST - tail.length).join("") + tail;
}

/** Lower case, without the dot; empty for none. */
export function endingOf(name: string): string {
  return /\.([\p{L}\p{N}]{1,10})$/u.exec(name)?.[1]?.toLowerCase() ?? "";
}

const PROGRAMS = new Set(
  "exe dll com scr pif bat cmd ps1 vbs vbe js jse wsf wsh hta msi msp msix lnk reg jar apk sh app dmg pkg deb rpm".split(
    " ",
  ),
);

export const isProgramName = (name: string): boolean => PROGRAMS.has(endingOf(name));

/**
 * Endings whose content begins with a known signature; each list is one container. Without `.xls` and `.doc`:
 * many programs export text under them.
 */
const FAMILIES: readonly (readonly string[])[] = [
  ["jpg", "jpeg", "jfif"],
  ["png", "apng"],
  ["webp"],
  ["gif"],
  ["heic", "heif"],
  ["pdf"],
  ["zip", "docx", "xlsx", "pptx", "docm", "xlsm", "pptm", "odt", "ods", "odp", "epub", "kmz"],
  ["rar"],
  ["7z"],
  ["mp4", "m4v", "m4a", "mov", "3gp", "3g2"],
  ["mp3", "mpga"],
  ["ogg", "oga", "ogv", "opus"],
  ["webm", "mkv"],
  ["wav", "avi"],
];

/**
 * True if the name promises a content that is not there, as in a program renamed to `.pdf`. `found`: the
 * ending that the content has, or null.
 */
export function isDisguised(name: string, found: string | null): boolean {
  const promised = FAMILIES.find((family) => family.includes(endingOf(name)));
  return promised !== undefined && (found === null || !promised.includes(found));
}
