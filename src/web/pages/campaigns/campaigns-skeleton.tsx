import { Bone, Skeleton } from "../../ui/skeleton.tsx";

export function CampaignsSkeleton() {
  return (
    <Skeleton className="camps">
      {[1, 2, 3, 4, 5, 6].map((each) => (
        <div key={each} className="card camp">
          <Bone width="55%" height="15px" />
          <Bone width="92%" style={{ marginTop: 16 }} />
          <Bone width="64%" style={{ marginTop: 9 }} />
          <Bone width="48%" style={{ marginTop: 19 }} />
          <div className="camp-counts">
            {[1, 2, 3, 4].map((figure) => (
              <div key={figure}>
                <Bone width="55%" height="10px" />
                <Bone width="40%" height="16px" style={{ marginTop: 10, marginBottom: 4 }} />
              </div>
            ))}
          </div>
          <div className="camp-foot">
            <Bone width="104px" height="32px" />
            <Bone width="88px" height="32px" />
          </div>
        </div>
      ))}
    </Skeleton>
  );
}
