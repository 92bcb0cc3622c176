import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { MessageCircle, Pencil, Trash2, UserX } from "lucide-react";
import { useState } from "react";
import type { PersonDetails } from "../../../contract/people.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { ApiError } from "../../api/api-error.ts";
import { useMe } from "../../api/me.ts";
import { fieldsQuery, personQuery } from "../../api/people.ts";
import { formatOn } from "../../messages/format.ts";
import { peopleText, personText as t } from "../../messages/people.ts";
import { rowId } from "../../routes/campaigns.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { PersonData } from "./person-data.tsx";
import { EditPersonDialog } from "./person-dialog.tsx";
import { PersonHistory } from "./person-history.tsx";
import { PersonLists } from "./person-lists.tsx";
import { PersonOrigin } from "./person-origin.tsx";
import styles from "./person-page.module.css";
import { PersonRequests } from "./person-requests.tsx";
import { PersonWhy } from "./person-why.tsx";
import { RemovePeopleDialog } from "./remove-people-dialog.tsx";

const route = getRouteApi("/shell/contacts/pessoas/$personId");

export function PersonPage() {
  const id = rowId(Number(route.useParams().personId));
  return id === undefined ? <Gone /> : <Shown id={id} />;
}

function Shown({ id }: { id: number }) {
  const query = useQuery(personQuery(id));
  const { data: person } = query;
  if (query.error instanceof ApiError && query.error.code === "not_found") return <Gone />;
  if (!person)
    return (
      <Page title={t.title} fact={<>&nbsp;</>}>
        {query.error ? (
          <QueryError title={t.failed} query={query} />
        ) : (
          <Skeleton className={styles.split}>
            <Bone width="100%" height="320px" />
            <Bone width="100%" height="320px" />
          </Skeleton>
        )}
      </Page>
    );
  return <PersonView person={person} />;
}

function Gone() {
  return (
    <Page title={t.title}>
      <EmptyState icon={UserX} title={t.gone.title} text={t.gone.text}>
        <LinkButton to="/contacts/pessoas" search={{}}>
          {t.back}
        </LinkButton>
      </EmptyState>
    </Page>
  );
}

function PersonView({ person }: { person: PersonDetails }) {
  const [open, setOpen] = useState<"edit" | "remove" | null>(null);
  const close = () => setOpen(null);
  const fields = useQuery(fieldsQuery);
  const navigate = useNavigate();
  const leave = () => void navigate({ to: "/contacts/pessoas", search: {} });
  return (
    <Page
      title={person.name || peopleText.noName}
      fact={
        <>
          <span data-ui="num">{formatPhone(person.phone)}</span>
          {" · "}
          <TextLink to="/contacts/pessoas" search={{}}>
            {t.back}
          </TextLink>
        </>
      }
      actions={
        <>
          <LinkButton icon={MessageCircle} to="/chat" search={{ para: Number(person.phone) }} preload={false}>
            {t.talk}
          </LinkButton>
          <Button icon={Pencil} disabled={!fields.data} onClick={() => setOpen("edit")}>
            {t.edit}
          </Button>
          <div className={styles.menu}>
            <Menu
              label={t.menu}
              entries={[{ label: t.remove, icon: Trash2, danger: true, onSelect: () => setOpen("remove") }]}
            />
          </div>
        </>
      }
    >
      <LeftNotice person={person} />
      <div className={styles.split}>
        <div className={layoutStyles.stack4}>
          <PersonData person={person} fields={fields} />
          <PersonHistory id={person.id} />
        </div>
        <div className={layoutStyles.stack4}>
          <PersonLists person={person} />
          <PersonOrigin person={person} />
          <PersonWhy id={person.id} />
          <PersonRequests person={person} onErased={leave} />
        </div>
      </div>
      {open === "edit" && <EditPersonDialog person={person} fields={fields.data ?? []} onClose={close} />}
      {open === "remove" && (
        <RemovePeopleDialog selection={{ ids: [person.id] }} count={1} onDone={leave} onClose={close} />
      )}
    </Page>
  );
}

function LeftNotice({ person: { optOut } }: { person: PersonDetails }) {
  const { timeZone } = useMe();
  if (!optOut) return null;
  const at = formatOn(optOut.at, timeZone);
  const words = optOut.text ?? "";
  return (
    <div className={layoutStyles.below4}>
      <Notice tone="warning">
        <b>
          {optOut.source === "manual"
            ? t.leftByHand(at)
            : optOut.source === "asked"
              ? t.mayLeave(at, words)
              : words === ""
                ? t.left(at)
                : t.leftWith(at, words)}
        </b>{" "}
        {t.leftMeans}
      </Notice>
    </div>
  );
}
