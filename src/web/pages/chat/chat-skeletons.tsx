import { clsx } from "clsx";
import bubbleStyles from "../../ui/bubble.module.css";
import personStyles from "../../ui/person.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import chatListStyles from "./chat-list.module.css";
import messageLogStyles from "./message-log.module.css";

export function ChatListSkeleton() {
  return (
    <Skeleton>
      {[52, 38, 64, 45, 58].map((width) => (
        <div key={width} className={chatListStyles.thread}>
          <Bone width="34px" height="34px" style={{ borderRadius: "50%" }} />
          <div className={personStyles.person} data-ui="person">
            <Bone width={`${width}%`} />
            <Bone width={`${width + 24}%`} height="10px" style={{ marginTop: 9 }} />
          </div>
          <Bone width="34px" height="10px" />
        </div>
      ))}
    </Skeleton>
  );
}

const BUBBLES = [
  { width: "46%", mine: true },
  { width: "28%", mine: false },
  { width: "52%", mine: true },
  { width: "34%", mine: false },
];

export function MessagesSkeleton() {
  return (
    <Skeleton className={messageLogStyles.coming}>
      {BUBBLES.map(({ width, mine }) => (
        <div
          key={width}
          className={clsx(bubbleStyles.bubble, mine && bubbleStyles.mine)}
          data-ui="bubble"
          style={{ width }}
        >
          <Bone width="84%" />
          <Bone width="52%" style={{ marginTop: 9, marginBottom: 12 }} />
        </div>
      ))}
    </Skeleton>
  );
}
