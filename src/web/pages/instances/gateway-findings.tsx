import { clsx } from "clsx";
import { CircleCheck, CircleMinus, CircleX } from "lucide-react";
import type { Gateway } from "../../../contract/gateways.ts";
import { instancesText } from "../../messages/instances.ts";
import { Icon, type LucideIcon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import styles from "./instances.module.css";

const t = instancesText.gateway;
const s = t.states;

type Verdict = "good" | "bad" | "open";
type Finding = { label: string; verdict: Verdict; words: string; detail?: string };

const ICONS: Record<Verdict, LucideIcon> = { good: CircleCheck, bad: CircleX, open: CircleMinus };

export function GatewayFindings({ gateway }: { gateway: Gateway }) {
  return (
    <dl className={clsx(layoutStyles.stack4, styles.findings)} aria-label={t.findings(gateway.name)}>
      {findingsOf(gateway).map(({ label, verdict, words, detail }) => (
        <div key={label} data-verdict={verdict}>
          <dt>{label}</dt>
          <dd>
            <Icon of={ICONS[verdict]} sm className={styles.mark} />
            {words}
          </dd>
          {detail && <dd className={styles.detail}>{detail}</dd>}
        </div>
      ))}
    </dl>
  );
}

function findingsOf(gateway: Gateway): Finding[] {
  const { check, url, provided } = gateway;
  const state = check?.state;
  const hint = provided ? null : gateway.keyHint || null;
  const unknown: Omit<Finding, "label"> = { verdict: "open", words: s.unknown };
  const licensed = state === "ok";
  const address = addressFinding(state);
  return [
    { label: t.address, ...address, detail: url },
    {
      label: t.key,
      ...(state === "ok"
        ? { verdict: "good" as const, words: s.accepted(hint) }
        : state === "wrong_key"
          ? { verdict: "bad" as const, words: s.refused(hint) }
          : unknown),
    },
    {
      label: t.version,
      // If it does not answer, the last known version.
      verdict: check?.version && address.verdict === "good" ? "good" : "open",
      words: check ? (check.version ?? s.noVersion) : s.unknown,
    },
    {
      label: t.license,
      ...(licensed
        ? { verdict: "good" as const, words: s.licensed }
        : state === "license_required"
          ? { verdict: "bad" as const, words: s.unlicensed }
          : unknown),
    },
    // Tested only if all else is in order; otherwise the result is of an earlier test.
    { label: t.hooks, ...(licensed ? hooksFinding(check?.reachesUs) : unknown) },
  ];
}

function addressFinding(state: NonNullable<Gateway["check"]>["state"] | undefined): Omit<Finding, "label"> {
  switch (state) {
    case undefined:
      return { verdict: "open", words: s.unknown };
    case "unreachable":
      return { verdict: "bad", words: s.unreachable };
    case "not_evolution":
      return { verdict: "bad", words: s.notEvolution };
    default:
      return { verdict: "good", words: s.reached };
  }
}

function hooksFinding(reaches: "unknown" | "yes" | "no" | undefined): Omit<Finding, "label"> {
  if (reaches === "yes") return { verdict: "good", words: s.arrive };
  return reaches === "no" ? { verdict: "bad", words: s.lost } : { verdict: "open", words: s.unknown };
}
