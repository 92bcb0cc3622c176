declare module "@tanstack/history" {
  interface HistoryState {
    openedFromOtherScreen?: boolean;
  }
}

/** For links to details from another screen, where Back returns. Separate file: every screen loads it. */
export const OPENED_FROM_OTHER_SCREEN = { openedFromOtherScreen: true } as const;
