import { WifiOff } from "lucide-react";
import type { ReactNode } from "react";
import type { Connection } from "../../../contract/connections.ts";
import { commonText } from "../../messages/common.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { SectionCard } from "../../ui/card.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import { Icon } from "../../ui/icon.tsx";
import { type Option, Select, TextInput } from "../../ui/inputs.tsx";
import noticeStyles from "../../ui/notice.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import { TextLink } from "../../ui/text-link.tsx";
import { DEFAULT_CONNECTION, filesOf } from "./form.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { sendsNow, useConnectionChoice } from "./use-connection-choice.ts";

export function BasicsSection({ form }: { form: CampaignFormState }) {
  const choice = useConnectionChoice(form.values.connection);
  const { all, query } = choice;
  const known = form.values.connection === DEFAULT_CONNECTION || choice.meant !== null || all === null;
  return (
    <SectionCard title={t.basics}>
      <div className={fieldStyles.row2} data-ui="row2">
        <TextInput label={t.name} {...form.text("name")} placeholder={t.namePlaceholder} autoComplete="off" />
        <Select
          label={t.connection}
          value={form.values.connection}
          onChange={({ target }) => form.set("connection", target.value)}
          error={form.error("connection") ?? (known ? undefined : t.connectionGone)}
          options={optionsOf(choice, form.values.connection)}
        />
      </div>
      {query.isError && !all && (
        <SmallError title={t.connectionsFailed}>
          <button
            type="button"
            className={textLinkStyles.link}
            data-ui="link"
            onClick={() => void query.refetch()}
          >
            {commonText.retry}
          </button>
        </SmallError>
      )}
      <ConnectionNotice
        choice={choice}
        chosen={form.values.connection}
        hasAttachment={filesOf(form.values).length > 0}
      />
    </SectionCard>
  );
}

type Choice = ReturnType<typeof useConnectionChoice>;

function optionsOf({ all, standard, meant }: Choice, chosen: string): Option[] {
  const options: Option[] = [
    {
      value: DEFAULT_CONNECTION,
      label: standard ? t.defaultIs(standard.name) : t.defaultConnection,
    },
    ...(all ?? []).map((each) => ({ value: String(each.id), label: labelOf(each) })),
  ];
  if (chosen !== DEFAULT_CONNECTION && !meant) options.push({ value: chosen, label: commonText.none });
  return options;
}

const labelOf = ({ name, deviceId, state }: Connection) => {
  const label = name || deviceId;
  return state === "connected" ? label : t.downOption(label);
};

/** A campaign may be created while its connection is down. */
function ConnectionNotice({
  choice,
  chosen,
  hasAttachment,
}: {
  choice: Choice;
  chosen: string;
  hasAttachment: boolean;
}) {
  const { all, meant } = choice;
  if (!all) return null;
  if (all.length === 0)
    return (
      <Warning fact={t.noConnections} next={t.noConnectionsNext}>
        <TextLink to="/baileys">{t.connect}</TextLink>
      </Warning>
    );
  if (!meant)
    return chosen === DEFAULT_CONNECTION ? (
      <Warning fact={t.noDefault}>
        <TextLink to="/whatsapp/connections">{t.seeConnections}</TextLink>
      </Warning>
    ) : null;
  if (sendsNow(meant, hasAttachment)) return null;
  const name = meant.name || meant.deviceId;
  const held = meant.state === "connected";
  return (
    <Warning
      fact={held ? t.connectionHeld(name) : t.connectionDown(name)}
      next={held ? t.connectionHeldNext : t.connectionDownNext}
    >
      <TextLink to="/whatsapp/connections">{t.seeConnections}</TextLink>
    </Warning>
  );
}

function Warning({ fact, next, children }: { fact: string; next?: string; children: ReactNode }) {
  return (
    <div className={noticeStyles.notice} data-ui="notice" data-tone="warning" role="status">
      <Icon of={WifiOff} />
      <p>
        <strong>{fact}</strong> {next} {children}
      </p>
    </div>
  );
}
