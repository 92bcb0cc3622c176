import { Plus, Trash2 } from "lucide-react";
import { useRef } from "react";
import type { SegmentRule } from "../../contract/audiences.ts";
import type { ContactField } from "../../contract/contact-fields.ts";
import { CONDITIONS_MOST } from "../../domain/segment.ts";
import { segmentsText as t } from "../messages/segments.ts";
import { Button } from "../ui/button.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Select } from "../ui/inputs.tsx";
import layoutStyles from "../ui/layout.module.css";
import { useFocusOnUnmount } from "../ui/use-focus-on-unmount.ts";
import { ConditionRow } from "./condition-row.tsx";
import {
  type DraftCondition,
  type DraftGroup,
  type DraftItem,
  type DraftRule,
  isGroup,
  newCondition,
  newGroup,
  pathOf,
  type RuleErrors,
} from "./rule-draft.ts";
import styles from "./rule-editor.module.css";

type Props = {
  rule: DraftRule;
  errors: RuleErrors;
  fields: readonly ContactField[];
  onChange: (rule: DraftRule) => void;
};

const MATCHES = ["all", "any"] as const;

export function RuleEditor({ rule, errors, fields, onChange }: Props) {
  const rows = useRef<HTMLUListElement>(null);
  const setItems = (items: DraftItem[]) => onChange({ ...rule, items });
  const add = (item: DraftItem) => {
    setItems([...rule.items, item]);
    focusLast(rows.current);
  };
  return (
    <fieldset className={styles.rule} tabIndex={-1}>
      <legend className={layoutStyles.srOnly}>{t.conditions}</legend>
      <MatchSelect
        label={t.conditions}
        match={rule.match}
        onChange={(match) => onChange({ ...rule, match })}
      />
      <ul ref={rows} className={styles.rows}>
        {rule.items.map((item, at) => {
          const path = pathOf("rule", at);
          const replace = (changed: DraftItem) => setItems(rule.items.with(at, changed));
          const remove = rule.items.length > 1 ? () => setItems(rule.items.toSpliced(at, 1)) : null;
          const join = at === 0 ? "" : t.joins[rule.match];
          const place = String(at + 1);
          return isGroup(item) ? (
            <Group
              key={item.id}
              group={item}
              place={at + 1}
              path={path}
              join={join}
              errors={errors}
              fields={fields}
              onChange={replace}
              onRemove={remove}
            />
          ) : (
            <ConditionRow
              key={item.id}
              condition={item}
              place={place}
              path={path}
              join={join}
              errors={errors}
              fields={fields}
              onChange={replace}
              onRemove={remove}
            />
          );
        })}
      </ul>
      {rule.items.length < CONDITIONS_MOST && (
        <div className={layoutStyles.cluster}>
          <Button small icon={Plus} onClick={() => add(newCondition())}>
            {t.addCondition}
          </Button>
          <Button small icon={Plus} onClick={() => add(newGroup())}>
            {t.addGroup}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function focusLast(rows: HTMLUListElement | null): void {
  setTimeout(() => rows?.lastElementChild?.querySelector("select")?.focus());
}

type MatchProps = {
  label: string;
  match: SegmentRule["match"];
  onChange: (match: SegmentRule["match"]) => void;
};

function MatchSelect({ label, match, onChange }: MatchProps) {
  return (
    <div className={styles.match}>
      <span aria-hidden="true">{t.match}</span>
      <Select
        label={`${label}: ${t.match}`}
        hiddenLabel
        options={MATCHES.map((value) => ({ value, label: t.matches[value] }))}
        value={match}
        onChange={({ target }) => onChange(MATCHES.find((each) => each === target.value) ?? "all")}
      />
    </div>
  );
}

type GroupProps = {
  group: DraftGroup;
  place: number;
  path: string;
  join: string;
  errors: RuleErrors;
  fields: readonly ContactField[];
  onChange: (group: DraftGroup) => void;
  onRemove: (() => void) | null;
};

function Group({ group, place, path, join, errors, fields, onChange, onRemove }: GroupProps) {
  const here = useFocusOnUnmount<HTMLLIElement>();
  const rows = useRef<HTMLUListElement>(null);
  const setItems = (items: DraftCondition[]) => onChange({ ...group, items });
  const name = t.group(place);
  return (
    <li ref={here} className={styles.row}>
      <span className={styles.join}>{join}</span>
      <fieldset className={styles.group} tabIndex={-1}>
        <legend className={layoutStyles.srOnly}>{name}</legend>
        <div className={styles.groupHead}>
          <MatchSelect label={name} match={group.match} onChange={(match) => onChange({ ...group, match })} />
          {onRemove && <IconButton label={t.removeGroup(place)} icon={Trash2} onClick={onRemove} />}
        </div>
        <ul ref={rows} className={styles.rows}>
          {group.items.map((item, at) => (
            <ConditionRow
              key={item.id}
              condition={item}
              place={`${place}.${at + 1}`}
              path={pathOf(path, at)}
              join={at === 0 ? "" : t.joins[group.match]}
              errors={errors}
              fields={fields}
              onChange={(changed) => setItems(group.items.with(at, changed))}
              onRemove={group.items.length > 1 ? () => setItems(group.items.toSpliced(at, 1)) : null}
            />
          ))}
        </ul>
        {group.items.length < CONDITIONS_MOST && (
          <Button
            small
            icon={Plus}
            className={layoutStyles.fits}
            aria-label={t.addConditionTo(name)}
            onClick={() => {
              setItems([...group.items, newCondition()]);
              focusLast(rows.current);
            }}
          >
            {t.addCondition}
          </Button>
        )}
      </fieldset>
    </li>
  );
}
