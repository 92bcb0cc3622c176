/**
 * The operator may change them. `stored_bytes` counts bytes, all others objects. Reasons:
 * docs/decisions/0074-limits-of-accounts.md.
 */
export const LIMITS = {
  numbers: 50,
  instances: 100,
  lists: 500,
  people: 5_000_000,
  deliveries: 50_000_000,
  templates: 500,
  waiting_imports: 20,
  /** Scheduled or starting. */
  waiting_campaigns: 200,
  stored_bytes: 5_000_000_000,
  letters_an_hour: 60,
  agent_calls_a_day: 5_000,
  operator_agents: 20,
  operator_instances: 10,
} as const;

export type LimitName = keyof typeof LIMITS;

export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

export type LimitUse = { name: LimitName; most: number | null; used: number };

export function isLimitName(name: unknown): name is LimitName {
  return typeof name === "string" && Object.hasOwn(LIMITS, name);
}

/** Services that cost the operator money or reputation. */
export const OPERATOR_SERVICES = ["mistral", "gateways", "mail"] as const;
export type OperatorService = (typeof OPERATOR_SERVICES)[number];

/** People named one by one in a selection. */
export const SELECTED_MOST = 500;
