import { clsx } from "clsx";
import { ArrowDown, ArrowUp, UserX } from "lucide-react";
import { useEffect, useRef } from "react";
import type { ContactField } from "../../../contract/contact-fields.ts";
import type { Person } from "../../../contract/people.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { useMe } from "../../api/me.ts";
import { scaled } from "../../lib/text-size.ts";
import { formatDate } from "../../messages/format.ts";
import { leavingRequestsText } from "../../messages/leaving-requests.ts";
import { optOutsText } from "../../messages/opt-outs.ts";
import { peopleText as t } from "../../messages/people.ts";
import type { PeopleOrder } from "../../routes/people.ts";
import { Badge } from "../../ui/badge.tsx";
import { fieldText } from "../../ui/field-text.ts";
import { Icon } from "../../ui/icon.tsx";
import { PrintedPart } from "../../ui/printed-part.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import tableStyles from "../../ui/table.module.css";
import textStyles from "../../ui/text.module.css";
import { TextLink } from "../../ui/text-link.tsx";
import { CutLine } from "../../ui/tooltip.tsx";
import { useNarrow } from "../../ui/use-narrow.ts";
import { useRowsInView } from "../../ui/use-rows-in-view.ts";
import styles from "./people.module.css";
import { type Columns, CREATED } from "./use-columns.ts";
import type { Selecting } from "./use-selection.ts";
import { ValueInput } from "./value-input.tsx";

/** The same heights as in people.module.css. */
const ROW = scaled(48);
const NARROW_ROW = scaled(64);
const HEAD = scaled(38);

type Props = {
  rows: readonly Person[];
  /** -1 while more rows follow. */
  whole: number;
  fields: readonly ContactField[];
  columns: Columns;
  order: PeopleOrder;
  onOrder: (order: PeopleOrder) => void;
  selecting: Selecting;
  editing: boolean;
  see: (to: number) => void;
};

export function PeopleTable({ rows, whole, columns, see, ...rest }: Props) {
  const box = useRef<HTMLElement>(null);
  const narrow = useNarrow();
  const height = narrow ? NARROW_ROW : ROW;
  const { from, to } = useRowsInView(box, rows.length, height);
  const fields = narrow ? [] : rest.fields.filter(({ key }) => columns.isShown(key));
  const created = !narrow && columns.isShown(CREATED);
  useEffect(() => {
    if (to > from) see(to);
  });
  return (
    <ScrollRegion ref={box} label={t.table} className={styles.rows}>
      <PrintedPart first={0} from={from} to={to} count={rows.length} />
      <div style={{ height: HEAD + rows.length * height, paddingTop: from * height }}>
        <table className={clsx(tableStyles.table, styles.table)} aria-rowcount={whole < 0 ? -1 : whole + 1}>
          <Head {...rest} rows={rows} fields={fields} narrow={narrow} created={created} />
          <tbody>
            {rows.slice(from, to).map((person, at) => (
              <Row
                key={person.id}
                person={person}
                place={from + at}
                fields={fields}
                narrow={narrow}
                created={created}
                selecting={rest.selecting}
                editing={rest.editing}
              />
            ))}
          </tbody>
        </table>
      </div>
    </ScrollRegion>
  );
}

type Drawn = { fields: readonly ContactField[]; narrow: boolean; created: boolean; selecting: Selecting };

function Head({
  rows,
  fields,
  narrow,
  created,
  order,
  onOrder,
  selecting,
}: Drawn & Pick<Props, "rows" | "order" | "onOrder">) {
  const some = (selecting.count ?? 1) > 0;
  const everyone = selecting.all || (some && rows.every(({ id }) => selecting.has(id)));
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" className={styles.tick}>
          <input
            type="checkbox"
            aria-label={t.selection.shown}
            checked={some}
            ref={(box) => {
              if (box) box.indeterminate = some && !everyone;
            }}
            onChange={() => selecting.toggleShown(rows)}
          />
        </th>
        <Sortable label={t.name} up="nome" down="nome-za" order={order} onOrder={onOrder} />
        {!narrow && <th scope="col">{t.phone}</th>}
        {fields.map((field) => (
          <th key={field.id} scope="col" className={clsx(field.kind === "number" && tableStyles.r)}>
            <div className={styles.value}>
              <CutLine text={field.label} />
            </div>
          </th>
        ))}
        {created && (
          <Sortable label={t.created} up="antigas" down="recentes" order={order} onOrder={onOrder} />
        )}
      </tr>
    </thead>
  );
}

type SortableProps = Pick<Props, "order" | "onOrder"> & {
  label: string;
  up: PeopleOrder;
  down: PeopleOrder;
};

function Sortable({ label, up, down, order, onOrder }: SortableProps) {
  const sorted = order === up ? "ascending" : order === down ? "descending" : undefined;
  return (
    <th scope="col" aria-sort={sorted}>
      <button
        type="button"
        className={styles.sort}
        title={t.sortBy(label)}
        onClick={() => onOrder(order === up ? down : up)}
      >
        {label}
        {sorted && <Icon of={sorted === "ascending" ? ArrowUp : ArrowDown} sm />}
      </button>
    </th>
  );
}

function Row({
  person,
  place,
  fields,
  narrow,
  created,
  selecting,
  editing,
}: Drawn & { person: Person; place: number; editing: boolean }) {
  const { timeZone } = useMe();
  const who = person.name || formatPhone(person.phone);
  const chosen = selecting.has(person.id);
  const phone = formatPhone(person.phone);
  return (
    <tr aria-rowindex={place + 2} className={clsx(chosen && styles.chosen)}>
      <td className={styles.tick}>
        <input
          type="checkbox"
          aria-label={t.selection.each(who)}
          checked={chosen}
          disabled={selecting.all || (!chosen && selecting.isFull)}
          onChange={() => selecting.toggle(person)}
        />
      </td>
      <td className={styles.who}>
        <div>
          <TextLink
            to="/contacts/pessoas/$personId"
            params={{ personId: String(person.id) }}
            preload={false}
            className={clsx(styles.name, !person.name && textStyles.muted)}
          >
            {person.name || t.noName}
          </TextLink>
          <OptedOut person={person} />
        </div>
        {narrow && <div className={styles.phone}>{phone}</div>}
      </td>
      {!narrow && <td className={styles.phone}>{phone}</td>}
      {fields.map((field) => (
        <td key={field.id} className={clsx(field.kind === "number" && tableStyles.r)}>
          {editing ? (
            <ValueInput person={person} who={who} field={field} />
          ) : (
            <div className={styles.value}>
              <CutLine text={fieldText(person.fields[field.key], field)} />
            </div>
          )}
        </td>
      ))}
      {created && <td className={styles.phone}>{formatDate(person.createdAt, timeZone)}</td>}
    </tr>
  );
}

function OptedOut({ person }: { person: Person }) {
  if (!person.optedOut) return null;
  return (
    <Badge tone="quiet" icon={UserX} low>
      {person.asksToLeave ? leavingRequestsText.badge : optOutsText.badge}
    </Badge>
  );
}
