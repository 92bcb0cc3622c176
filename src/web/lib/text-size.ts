const USUAL_PX = 16;

/** The browser's text size relative to the usual one; lengths in rem follow it. */
const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_PX;

/** Pixels at usual text size: for lengths the style sheet has in rem. */
export const scaled = (px: number): number => px * scale;
