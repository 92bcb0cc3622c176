import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { ContactField } from "../../contract/contact-fields.ts";
import { ORIGINS } from "../../domain/segment.ts";
import { api } from "../api/call.ts";
import { listsMenuQuery } from "../api/contacts.ts";
import { campaignNameQuery } from "../api/segments.ts";
import { listName } from "../lib/list-name.ts";
import { formatNumber } from "../messages/format.ts";
import { peopleText } from "../messages/people.ts";
import { segmentsText as t } from "../messages/segments.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { Select, TextInput } from "../ui/inputs.tsx";
import { useFocusOnUnmount } from "../ui/use-focus-on-unmount.ts";
import {
  type DraftCondition,
  errorAt,
  fieldOf,
  type RuleErrors,
  subjectOf,
  testsOf,
  wantedOf,
  withSubject,
} from "./rule-draft.ts";
import styles from "./rule-editor.module.css";

const CAMPAIGNS = 100;

type Props = {
  condition: DraftCondition;
  place: string;
  path: string;
  join: string;
  errors: RuleErrors;
  fields: readonly ContactField[];
  onChange: (condition: DraftCondition) => void;
  onRemove: (() => void) | null;
};

export function ConditionRow({ condition, place, path, join, errors, fields, onChange, onRemove }: Props) {
  const here = useFocusOnUnmount<HTMLLIElement>();
  const { on, key, test } = condition;
  const keyError = errors[`${path}.key`] ?? null;
  const error = keyError === null ? errorAt(errors, path) : null;
  const isNothing = wantedOf(condition, fields) === "nothing";
  const tests = testsOf(condition, fields);
  const shown = tests.includes(test) ? tests : [test, ...tests];
  return (
    <li ref={here} className={styles.row}>
      <span className={styles.join}>{join}</span>
      <div className={styles.condition}>
        <Select
          label={t.about(place)}
          hiddenLabel
          options={subjectOptions(fields, on === "field" && !fieldOf(fields, key) ? key : null)}
          value={subjectOf(condition)}
          error={keyError}
          onChange={({ target }) => onChange(withSubject(condition, target.value, fields))}
        />
        <Select
          label={t.test(place)}
          hiddenLabel
          options={shown.map((value) => ({ value, label: testWords(condition, value, fields) }))}
          value={test}
          error={isNothing ? error : null}
          onChange={({ target }) => onChange({ ...condition, test: target.value })}
        />
        {!isNothing && (
          <Value condition={condition} place={place} error={error} fields={fields} onChange={onChange} />
        )}
        {onRemove && (
          <IconButton
            className={styles.remove}
            label={t.removeCondition(place)}
            icon={X}
            onClick={onRemove}
          />
        )}
      </div>
    </li>
  );
}

function subjectOptions(fields: readonly ContactField[], gone: string | null) {
  const { nome, ...others } = t.subjects;
  return [
    { value: "field:nome", label: nome },
    ...fields.map(({ key, label }) => ({ value: `field:${key}`, label })),
    ...(gone === null ? [] : [{ value: `field:${gone}`, label: `${t.goneField}: ${gone}` }]),
    ...Object.entries(others).map(([value, label]) => ({ value, label })),
  ];
}

function testWords({ on, key }: DraftCondition, test: string, fields: readonly ContactField[]): string {
  const isDate = on === "field" && fieldOf(fields, key)?.kind === "date";
  const words: Record<string, string> = {
    field: isDate ? { ...t.fieldTests, ...t.dateTests } : t.fieldTests,
    list: t.listTests,
    origin: t.originTests,
    created: t.createdTests,
    reply: t.replyTests,
    campaign: t.campaignTests,
  }[on];
  return words[test] ?? test;
}

type ValueProps = Pick<Props, "condition" | "place" | "fields" | "onChange"> & { error: string | null };

function Value({ condition, place, error, fields, onChange }: ValueProps) {
  const bound = {
    label: t.value(place),
    hiddenLabel: true,
    error,
  };
  const onValue = ({ target }: { target: { value: string } }) =>
    onChange({ ...condition, value: target.value });
  const onRef = ({ target }: { target: { value: string } }) => onChange({ ...condition, ref: target.value });
  const wanted = wantedOf(condition, fields);
  switch (wanted) {
    case "list":
      return <ListValue {...bound} chosen={condition.ref} onChange={onRef} />;
    case "campaign":
      return <CampaignValue {...bound} chosen={condition.ref} onChange={onRef} />;
    case "origin":
      return (
        <Select
          {...bound}
          options={[CHOOSE, ...ORIGINS.map((value) => ({ value, label: t.origins[value] }))]}
          value={condition.ref}
          onChange={onRef}
        />
      );
    case "boolean":
      return (
        <Select
          {...bound}
          options={[CHOOSE, { value: "true", label: t.yes }, { value: "false", label: t.no }]}
          value={condition.value}
          onChange={onValue}
        />
      );
    default:
      return (
        <TextInput
          {...bound}
          autoComplete="off"
          {...(wanted === "days" ? { suffix: t.days, inputMode: "numeric" as const } : {})}
          {...(wanted === "number" ? { inputMode: "decimal" as const } : {})}
          {...(wanted === "date" ? { placeholder: peopleText.form.datePlaceholder } : {})}
          value={condition.value}
          onChange={onValue}
        />
      );
  }
}

const CHOOSE = { value: "", label: t.choose, disabled: true };

type RefProps = {
  label: string;
  hiddenLabel: boolean;
  error: string | null;
  chosen: string;
  onChange: (event: { target: { value: string } }) => void;
};

function ListValue({ chosen, ...bound }: RefProps) {
  const { data } = useQuery(listsMenuQuery);
  const isGone = chosen !== "" && data !== undefined && !data.some(({ id }) => String(id) === chosen);
  return (
    <Select
      {...bound}
      value={chosen}
      options={[
        CHOOSE,
        ...(isGone ? [{ value: chosen, label: t.goneList }] : []),
        ...(data ?? []).map((list) => ({
          value: String(list.id),
          label: `${listName(list)} (${formatNumber(list.count)})`,
        })),
      ]}
    />
  );
}

function CampaignValue({ chosen, ...bound }: RefProps) {
  const { data } = useQuery({
    queryKey: ["campaigns", "newest"],
    queryFn: ({ signal }) => api("GET /api/campaigns", { query: { limit: CAMPAIGNS }, signal }),
  });
  const items = (data?.items ?? []).filter(({ status }) => status !== "draft");
  const isElsewhere = chosen !== "" && data !== undefined && !items.some(({ id }) => String(id) === chosen);
  const other = useQuery({ ...campaignNameQuery(Number(chosen)), enabled: isElsewhere });
  return (
    <Select
      {...bound}
      value={chosen}
      options={[
        { value: "", label: t.lastCampaign },
        ...(isElsewhere
          ? [{ value: chosen, label: other.data ?? (other.error ? t.goneCampaign : "…") }]
          : []),
        ...items.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
    />
  );
}
