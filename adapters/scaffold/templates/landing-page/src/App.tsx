import { Features } from '@/components/Features'
import { Footer } from '@/components/Footer'
import { Header } from '@/components/Header'
import { Hero } from '@/components/Hero'
import { Pricing } from '@/components/Pricing'
import { Questions } from '@/components/Questions'

export default function App() {
  return (
    <>
      <Header />
      <main id="content">
        <Hero />
        <Features />
        <Pricing />
        <Questions />
      </main>
      <Footer />
    </>
  )
}
