import { Clock, Megaphone, MessageCircleOff, Minus, Phone, Plus, Users } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { SOURCES_MOST } from "../../../domain/audience.ts";
import { audienceText as t } from "../../messages/audience.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Menu } from "../../ui/menu.tsx";
import { toastFailed } from "../../ui/toast.tsx";
import {
  addSource,
  addWithout,
  changeWithout,
  isFull,
  type SourceKind,
  sourcesOf,
  type WithoutKind,
} from "./audience-edit.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";

const picks = () => import("./pick-dialog.tsx");
const SourcePickDialog = lazy(async () => ({ default: (await picks()).SourcePickDialog }));
const ListPickDialog = lazy(async () => ({ default: (await picks()).ListPickDialog }));
const CampaignPickDialog = lazy(async () => ({ default: (await picks()).CampaignPickDialog }));

const HOURS = 48;
const CAMPAIGNS = 3;

type Open = "source" | "list" | "campaign";

/** `own`: the campaign that is edited. */
export function AudienceActions({ form, own }: { form: CampaignFormState; own: number | null }) {
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const { audience } = form.values;
  const { without } = audience;
  const sources = sourcesOf(form.values);
  const onSource = (kind: SourceKind, id: number) => {
    close();
    if (isFull(form.values, kind)) return toastFailed(t.full(SOURCES_MOST));
    const next = addSource(form.values, kind, id);
    form.set("list", next.list);
    form.set("audience", next.audience);
  };
  const onWithout = (kind: WithoutKind, id: number) => {
    close();
    const ids = kind === "list" ? without.listIds : without.campaignIds;
    if (ids.length >= SOURCES_MOST) return toastFailed(t.full(SOURCES_MOST));
    form.set("audience", addWithout(audience, kind, id));
  };
  const taken = [...sources.lists, ...without.listIds];
  return (
    <div className={layoutStyles.cluster}>
      <Button small icon={Plus} onClick={() => setOpen("source")}>
        {t.addSource}
      </Button>
      <Menu
        label={t.addWithout}
        trigger={
          <button type="button" className={buttonClass(true)} data-ui="btn" data-look="secondary">
            <Icon of={Minus} sm />
            {t.addWithout}
          </button>
        }
        entries={[
          { label: t.withoutList, icon: Users, onSelect: () => setOpen("list") },
          { label: t.withoutCampaign, icon: Megaphone, onSelect: () => setOpen("campaign") },
          ...(without.talkedHours === null
            ? [
                {
                  label: t.withoutTalked,
                  icon: Clock,
                  onSelect: () => form.set("audience", changeWithout(audience, { talkedHours: HOURS })),
                },
              ]
            : []),
          ...(without.unanswered === null
            ? [
                {
                  label: t.withoutUnanswered,
                  icon: MessageCircleOff,
                  onSelect: () => form.set("audience", changeWithout(audience, { unanswered: CAMPAIGNS })),
                },
              ]
            : []),
          ...(without.landLines
            ? []
            : [
                {
                  label: t.withoutLandLines,
                  icon: Phone,
                  onSelect: () => form.set("audience", changeWithout(audience, { landLines: true })),
                },
              ]),
        ]}
      />
      <Suspense>
        {open === "source" && (
          <SourcePickDialog lists={taken} segments={sources.segments} onPick={onSource} onClose={close} />
        )}
        {open === "list" && (
          <ListPickDialog taken={taken} onPick={(id) => onWithout("list", id)} onClose={close} />
        )}
        {open === "campaign" && (
          <CampaignPickDialog
            taken={own === null ? without.campaignIds : [...without.campaignIds, own]}
            onPick={(id) => onWithout("campaign", id)}
            onClose={close}
          />
        )}
      </Suspense>
    </div>
  );
}
