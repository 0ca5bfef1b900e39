import type { ComponentChildren } from 'preact';

// controls are bidirectional control characters, which could make a name or a command look
// like another one.
const controls = /([\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c])/;

/** plain shows a model's text unchanged, with control characters made visible. */
export function plain(text: string): ComponentChildren {
  if (!controls.test(text)) return text;
  return text.split(controls).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={index} class="control">
        {codeOf(part)}
      </span>
    ),
  );
}

function codeOf(control: string): string {
  return `U+${control.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
