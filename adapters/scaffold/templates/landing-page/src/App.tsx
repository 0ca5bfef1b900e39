import { Closing } from '@/components/Closing'
import { Features } from '@/components/Features'
import { Footer } from '@/components/Footer'
import { Header } from '@/components/Header'
import { Hero } from '@/components/Hero'
import { Pricing } from '@/components/Pricing'
import { Questions } from '@/components/Questions'
import { Week } from '@/components/Week'

export default function App() {
  return (
    <>
      <Header />
      <main id="content">
        <Hero />
        <Features />
        <Week />
        <Pricing />
        <Questions />
        <Closing />
      </main>
      <Footer />
    </>
  )
}
