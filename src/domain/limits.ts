/**
 * What one account may have at most, unless the operator says otherwise: for all accounts or for one. Every name, default and unit
 * is here. `stored_bytes` counts bytes, all others count things. Reasons: docs/decisions/0074-limits-of-accounts.md.
 */
export const LIMITS = {
  /** Numbers linked by QR code or by a code to type. */
  numbers: 50,
  /** Instances in use here, of own and of provided gateways. */
  instances: 100,
  lists: 500,
  /** Contacts of all lists together. */
  people: 5_000_000,
  /** People of all campaigns that are kept. */
  deliveries: 50_000_000,
  waiting_imports: 20,
  /** Scheduled or starting. */
  waiting_campaigns: 200,
  /** Pictures, as they are stored. */
  stored_bytes: 5_000_000_000,
  letters_an_hour: 60,
  /** Answers in chats and in the test conversation, by the account's own day. */
  agent_calls_a_day: 5_000,
  /** Agents made with the operator's Mistral key. */
  operator_agents: 20,
  /** Instances at the operator's gateways. They count among `instances` as well. */
  operator_instances: 10,
} as const;

export type LimitName = keyof typeof LIMITS;

export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

/** A limit of an account and how much of it is used. `most` null: without a limit. */
export type LimitUse = { name: LimitName; most: number | null; used: number };

export function isLimitName(name: unknown): name is LimitName {
  return typeof name === "string" && Object.hasOwn(LIMITS, name);
}

/** Parts of the operator's installation that cost the operator money or name. */
export const OPERATOR_SERVICES = ["mistral", "gateways", "mail"] as const;
export type OperatorService = (typeof OPERATOR_SERVICES)[number];
