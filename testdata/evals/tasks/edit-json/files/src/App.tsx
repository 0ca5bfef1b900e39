import menu from '@/content/menu.json'

export default function App() {
  return (
    <main>
      <h1>Menu</h1>
      <ul>
        {menu.dishes.map((dish) => (
          <li key={dish.name}>
            {dish.name}, {dish.price} {menu.currency}
          </li>
        ))}
      </ul>
    </main>
  )
}
