declare module "@tanstack/history" {
  interface HistoryState {
    /** Of open details: the step before them is another screen, which led here. */
    openedFromOtherScreen?: boolean;
  }
}

/** For a link to details from another screen: one step back leads there again. A file of its own: it goes with every screen. */
export const OPENED_FROM_OTHER_SCREEN = { openedFromOtherScreen: true } as const;
