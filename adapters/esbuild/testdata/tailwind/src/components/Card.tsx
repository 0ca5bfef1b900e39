export const Card = ({ on }) => <div className="prose-none rounded-(--radius) border border-dashed p-card card-title">{on.map((x) => x.flow - 1)}</div>
