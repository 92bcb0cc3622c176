const USUAL_PX = 16;

/** By how much the person has their browser show all text larger (or smaller) than usual: the style sheets' lengths, in rem, follow it. */
const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_PX;

/** What is so many pixels where text has its usual size: for lengths that a style sheet has too, in rem. */
export const scaled = (px: number): number => px * scale;
