import { Gone } from './gone';
import { VisitorBar } from './visitor-bar';

/** GonePage is shown for unknown addresses, to everybody. */
export default function GonePage() {
  return (
    <>
      <VisitorBar />
      <main class="page" id="main">
        <Gone />
      </main>
    </>
  );
}
