import { site } from '@/content/site'

export function Hero() {
  return (
    <section className="hero" id="top">
      <h1>{site.headline}</h1>
      <p className="lead">{site.lead}</p>
      <p className="actions">
        <a className="button" href={site.action.href}>
          {site.action.label}
        </a>
        <a className="button quiet" href={site.secondAction.href}>
          {site.secondAction.label}
        </a>
      </p>
    </section>
  )
}
