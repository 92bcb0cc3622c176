import { Bone, Skeleton } from "../../ui/skeleton.tsx";

export function ChatListSkeleton() {
  return (
    <Skeleton>
      {[52, 38, 64, 45, 58].map((width) => (
        <div key={width} className="thread">
          <Bone width="34px" height="34px" style={{ borderRadius: "50%" }} />
          <div className="person">
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
    <Skeleton className="coming">
      {BUBBLES.map(({ width, mine }) => (
        <div key={width} className={mine ? "bubble mine" : "bubble"} style={{ width }}>
          <Bone width="84%" />
          <Bone width="52%" style={{ marginTop: 9, marginBottom: 12 }} />
        </div>
      ))}
    </Skeleton>
  );
}
