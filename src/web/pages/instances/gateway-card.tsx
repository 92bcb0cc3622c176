import { clsx } from "clsx";
import { Ban, Pencil, Plus, Radar, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Gateway } from "../../../contract/gateways.ts";
import { causeText } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { formatNear } from "../../messages/format.ts";
import { instancesText } from "../../messages/instances.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import { Select } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Menu, type MenuEntry } from "../../ui/menu.tsx";
import { Notice } from "../../ui/notice.tsx";
import pageStyles from "../../ui/page.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import { GatewayFindings } from "./gateway-findings.tsx";
import styles from "./instances.module.css";
import { LicenseLink } from "./license-link.tsx";
import type { Open } from "./open-dialog.tsx";
import { useKnown } from "./use-gateways.ts";

const t = instancesText.gateway;

type Props = {
  gateways: readonly Gateway[];
  chosen: Gateway;
  onChoose: (id: number) => void;
  onOpen: (open: Open) => void;
};

export function GatewayCard({ gateways, chosen, onChoose, onOpen }: Props) {
  const { timeZone } = useMe();
  const testing = useTest(chosen);
  const own: MenuEntry[] = [
    { label: t.edit, icon: Pencil, onSelect: () => onOpen({ what: "edit", gateway: chosen }) },
    {
      label: t.remove,
      icon: Trash2,
      danger: true,
      apart: true,
      onSelect: () => onOpen({ what: "forget", gateway: chosen }),
    },
  ];
  return (
    <section className={clsx(cardStyles.card, layoutStyles.stack4, styles.gateway)} aria-label={t.section}>
      <div className={styles.gatewayTop}>
        <div className={styles.gatewayChoice}>
          <Select
            label={t.label}
            value={chosen.id}
            options={gateways.map((gateway) => ({
              value: String(gateway.id),
              label: gateway.withdrawn ? t.optionWithdrawn(gateway.name) : gateway.name,
            }))}
            onChange={(event) => onChoose(Number(event.target.value))}
          />
          {!chosen.provided && <Menu label={t.actions(chosen.name)} entries={own} />}
        </div>
        <div className={pageStyles.actions} data-ui="actions">
          <span className={clsx(textStyles.fact, styles.tested)}>
            {chosen.check ? t.testedAt(formatNear(chosen.check.at, timeZone)) : t.untested}
          </span>
          {!chosen.withdrawn && (
            <Button icon={Radar} busy={testing.busy} busyText={t.testing} onClick={testing.test}>
              {t.test}
            </Button>
          )}
          <Button icon={Plus} onClick={() => onOpen({ what: "register" })}>
            {t.register}
          </Button>
        </div>
      </div>
      {(chosen.provided || chosen.withdrawn) && (
        <p className={layoutStyles.cluster}>
          {chosen.provided && <Badge tone="quiet">{t.provided}</Badge>}
          {chosen.withdrawn && (
            <Badge tone="warning" icon={Ban}>
              {t.withdrawn}
            </Badge>
          )}
        </p>
      )}
      {testing.error !== null && <SmallError title={t.testFailed} text={causeText(testing.error)} />}
      <Troubles gateway={chosen} />
      {!(chosen.provided && chosen.withdrawn) && <GatewayFindings gateway={chosen} />}
    </section>
  );
}

function Troubles({ gateway: { check, provided, withdrawn } }: { gateway: Gateway }) {
  if (withdrawn) return <Notice tone="warning">{t.withdrawnText}</Notice>;
  if (!check) return null;
  const error = t.errors[check.state];
  const unlicensed = check.state === "license_required";
  if (error)
    return (
      <Notice tone={unlicensed ? "warning" : "danger"}>
        <strong>{error.fact}</strong> {provided && !unlicensed ? t.askOperator : error.next}{" "}
        <LicenseLink url={check.licenseUrl} />
      </Notice>
    );
  if (check.reachesUs !== "no") return null;
  return (
    <Notice tone="warning">
      <strong>{t.unheard.fact}</strong> {t.unheard.next}
    </Notice>
  );
}

type Asked = { busy: boolean; error: unknown };

function useTest({ id }: Gateway) {
  const known = useKnown();
  // Per server: another may be tested at the same time.
  const [asked, setAsked] = useState<Readonly<Record<number, Asked>>>({});
  const test = async () => {
    const now = (one: Asked) => setAsked((all) => ({ ...all, [id]: one }));
    now({ busy: true, error: null });
    try {
      known.gateway(await api("POST /api/gateways/{id}/test", { params: { id } }));
      now({ busy: false, error: null });
      known.refresh();
    } catch (error) {
      now({ busy: false, error });
    }
  };
  return { test, busy: asked[id]?.busy ?? false, error: asked[id]?.error ?? null };
}

export function GatewayCardSkeleton() {
  return (
    <Skeleton className={clsx(cardStyles.card, layoutStyles.stack4, styles.gateway)}>
      <div className={styles.gatewayTop}>
        <div className={styles.gatewayChoice}>
          <div className={fieldStyles.field} data-ui="field">
            <Bone width="70px" />
            <Bone width="100%" height="40px" />
          </div>
        </div>
      </div>
      <div className={clsx(layoutStyles.stack4, styles.findings)}>
        {["a", "b", "c", "d", "e"].map((each) => (
          <div key={each}>
            <Bone width="45%" />
            <Bone width="75%" style={{ marginTop: 10 }} />
          </div>
        ))}
      </div>
    </Skeleton>
  );
}
