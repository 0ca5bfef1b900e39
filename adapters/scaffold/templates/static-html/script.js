const button = document.getElementById('greet')
const greeting = document.getElementById('greeting')

button?.addEventListener('click', () => {
  const hour = new Date().getHours()
  greeting.textContent = hour < 12 ? 'Good morning!' : hour < 18 ? 'Good afternoon!' : 'Good evening!'
})
