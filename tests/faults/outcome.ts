/** What one run came to, whatever its kind. */
export type Outcome = {
  /** What was done, in one line. */
  plan: string;
  people: number;
  sent: number;
  /** Kills of processes of the product … */
  kills: number;
  /** … and of the database. */
  databaseKills: number;
  duplicated: number;
  lost: number;
  wronged: number;
  withoutState: number;
  uncertain: number;
  /** Beyond what the kind of run may leave to a human. */
  tooUncertain: number;
  /** People who asked to leave while something was away, and those to whom the campaign was sent all the same. */
  leavers: number;
  writtenToAfterLeaving: number;
  /** Commits that the database acknowledged meanwhile, and those of them that it does not have. */
  committed: number;
  commitsLost: number;
  /** From the death of everything to the next message that WhatsApp took. */
  fromDeathMs: number[];
  /** From the first answer of the database after its death to the next message that WhatsApp took. */
  fromDatabaseMs: number[];
};

/** What most runs have none of. */
export const NOTHING = {
  ...{ kills: 0, databaseKills: 0, tooUncertain: 0, committed: 0, commitsLost: 0 },
  ...{ leavers: 0, writtenToAfterLeaving: 0 },
  ...{ fromDeathMs: [] as number[], fromDatabaseMs: [] as number[] },
};

/** Counts of an outcome that must be 0. */
export const GOALS = [
  "duplicated",
  "lost",
  "wronged",
  "withoutState",
  "tooUncertain",
  "commitsLost",
  "writtenToAfterLeaving",
] as const;
