export default function App() {
  return (
    <main>
      <h1>Plans</h1>
      <ul>
      <li className="plan">
        <h2>Solo</h2>
        <p className="price">€10</p>
        <p>per person and month</p>
        <a className="button" href="#start">
          Choose this plan
        </a>
      </li>
      <li className="plan">
        <h2>Team</h2>
        <p className="price">€10</p>
        <p>per person and month</p>
        <a className="button" href="#start">
          Choose this plan
        </a>
      </li>
      <li className="plan">
        <h2>Company</h2>
        <p className="price">€10</p>
        <p>per person and month</p>
        <a className="button" href="#start">
          Choose this plan
        </a>
      </li>
      </ul>
    </main>
  )
}
