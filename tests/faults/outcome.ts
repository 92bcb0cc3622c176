export type Outcome = {
  plan: string;
  people: number;
  sent: number;
  kills: number;
  databaseKills: number;
  duplicated: number;
  lost: number;
  wronged: number;
  withoutState: number;
  uncertain: number;
  tooUncertain: number;
  outsideHours: number;
  overBudget: number;
  /** Opted out while a part was down; and those of them who got the campaign. */
  optedOut: number;
  writtenToAfterLeaving: number;
  /** Acknowledged commits, and those of them that the database lost. */
  committed: number;
  commitsLost: number;
  /** From the death of all processes to the next message that WhatsApp accepted. */
  fromDeathMs: number[];
  /** From the database's first answer after its death to the next message that WhatsApp accepted. */
  fromDatabaseMs: number[];
};

export const NOTHING = {
  kills: 0,
  databaseKills: 0,
  tooUncertain: 0,
  outsideHours: 0,
  overBudget: 0,
  committed: 0,
  commitsLost: 0,
  optedOut: 0,
  writtenToAfterLeaving: 0,
  fromDeathMs: [] as number[],
  fromDatabaseMs: [] as number[],
};

type Harm = Pick<
  Outcome,
  "duplicated" | "lost" | "wronged" | "withoutState" | "writtenToAfterLeaving" | "outsideHours" | "overBudget"
>;

export const harmOf = (one: Harm): number =>
  one.duplicated +
  one.lost +
  one.wronged +
  one.withoutState +
  one.writtenToAfterLeaving +
  one.outsideHours +
  one.overBudget;

/** Counts that must be 0. */
export const GOALS = [
  "duplicated",
  "lost",
  "wronged",
  "withoutState",
  "tooUncertain",
  "outsideHours",
  "overBudget",
  "commitsLost",
  "writtenToAfterLeaving",
] as const;
