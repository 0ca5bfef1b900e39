export function SummerBanner() {
  return <p className="banner">Summer sale: everything must go</p>
}
