interface Props {
  heading: string
  text: string
}

export function Card({ heading, text }: Props) {
  return (
    <article className="card">
      <h2>{heading}</h2>
      <p>{text}</p>
    </article>
  )
}
