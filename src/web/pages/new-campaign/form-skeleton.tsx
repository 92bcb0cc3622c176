import { Bone, Skeleton } from "../../ui/skeleton.tsx";

export function FormSkeleton() {
  return (
    <Skeleton className="compose">
      <div className="compose-form">
        {[112, 320, 240].map((height) => (
          <div key={height} className="card section">
            <Bone width="30%" height="14px" />
            <Bone height={`${height - 60}px`} />
          </div>
        ))}
      </div>
      <div className="card preview">
        <div className="card-head">
          <Bone width="45%" />
        </div>
        <div className="wall" />
      </div>
    </Skeleton>
  );
}
