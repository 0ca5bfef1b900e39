var k=/prefers-color-scheme\s*:\s*dark/,b=/(^|[\s.:("'=[,-])dark\b/,S=/^(@theme\b.*|:root|html|:host|:root\s*,\s*:host)$/;function w(n){let s=m(n),i=[];for(let t of new Set(s.map(r=>r.name))){let r=s.findLast(c=>c.name===t&&!c.isDark);if(!r)continue;let e=s.findLast(c=>c.name===t&&c.isDark)?.value??null,o=y(n,r.value),l={light:o?.light??r.value,dark:e??o?.dark??null},a=c=>n.slice(c.start,c.end),g=D(t,a(l.light));g&&i.push({name:t,kind:g,light:a(l.light),dark:l.dark&&a(l.dark),places:l})}return i}function D(n,s){return/^font-(?!weight|size)|-font$|^font$/.test(n)?"font":/^-?\d*\.?\d+(px|rem|em)$/.test(s)?"length":/^(#[0-9a-f]{3,8}|(rgb|hsl|hwb|oklch|oklab|lch|lab|color)a?\(.*\)|white|black)$/i.test(s)?"color":null}function y(n,{start:s,end:i}){let t=/^light-dark\(/.exec(n.slice(s,i));if(!t||n[i-1]!==")")return null;let r=0;for(let e=s+t[0].length;e<i-1;e+=1)if(n[e]==="("&&(r+=1),n[e]===")"&&(r-=1),n[e]===","&&r===0)return{light:d(n,s+t[0].length,e),dark:d(n,e+1,i-1)};return null}function d(n,s,i){let t=n.slice(s,i);return{start:s+t.length-t.trimStart().length,end:i-t.length+t.trimEnd().length}}function v(n){return n.replaceAll(/\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g,s=>"_".repeat(s.length))}function m(n){let s=v(n),i=[],t=[],r=0;for(let e=0;e<s.length;e+=1){let o=s[e];if(!(o!=="{"&&o!=="}"&&o!==";")){if(o==="{")t.push(n.slice(r,e).replaceAll(/\/\*[\s\S]*?\*\//g,"").trim());else{let l=j(n,s,r,e,t);l&&i.push(l),o==="}"&&t.pop()}r=e+1}}return i}function j(n,s,i,t,r){let e=/^[\s_]*--([\w-]+)\s*:/.exec(s.slice(i,t)),o=r.at(-1);if(!e||o===void 0)return null;let l=r.some(c=>k.test(c)||!c.startsWith("@")&&b.test(c)),a=r.slice(0,-1).every(c=>/^@(layer|media|supports)\b/.test(c)),g=r.some(c=>c.startsWith("@media")&&!k.test(c));return!a||g||!l&&!S.test(o)?null:{name:e[1],value:d(n,i+e[0].length,t),isDark:l,around:[...r]}}function T(n,s,i,t){let r=w(n).find(l=>l.name===s);if(!r)return n;let e=r.places[i];if(e)return n.slice(0,e.start)+t+n.slice(e.end);let{light:o}=r.places;return/light-dark\(|color-scheme\s*:\s*light dark/.test(n)?`${n.slice(0,o.start)}light-dark(${r.light}, ${t})${n.slice(o.end)}`:O(n,s,t)}function O(n,s,i){let t=m(n).findLast(({isDark:o})=>o);if(t){let o=/[ \t]*$/.exec(n.slice(0,n.lastIndexOf("--",t.value.start)))[0],l=n[t.value.end]===";"?t.value.end+1:t.value.end,a=n[t.value.end]===";"?"":";";return`${n.slice(0,l)}${a}
${o}--${s}: ${i};${n.slice(l)}`}let e=/@custom-variant\s+dark\b[^;]*\.dark\b/.test(n)?`.dark {
  --${s}: ${i};
}
`:`@media (prefers-color-scheme: dark) {
  :root {
    --${s}: ${i};
  }
}
`;return`${n.replace(/\n*$/,`

`)}${e}`}function W(n,s){return m(n).filter(({name:i})=>s.has(i)).map(({name:i,value:t,around:r})=>{let e=r.filter(l=>!l.startsWith("@layer")).map(l=>l.startsWith("@theme")?":root":l);return`${e.map(l=>`${l} { `).join("")}--${i}: ${n.slice(t.start,t.end)};${" }".repeat(e.length)}`}).join(`
`)}function M(n,s){let i=[s?"@theme {":":root {","  --color-background: #ffffff;","  --color-foreground: #1c1917;","  --color-primary: #4338ca;","  --color-primary-foreground: #ffffff;",s?"  --radius-lg: 0.5rem;":"  --radius: 0.5rem;","  --font-sans: system-ui, sans-serif;","}",""].join(`
`),t=/^(?:\s|\/\*[\s\S]*?\*\/|@(?:charset|import)[^;]*;)*/.exec(n)[0],r=t.includes("@")?t.trimEnd().length:0,e=n.slice(r).trimStart();return`${n.slice(0,r)}${r>0?`

`:""}${i}${e===""?"":`
${e}`}`}function L(n,s,i){if(s===i)return"";let[t,r]=[s.split(/(?<=\n)/),i.split(/(?<=\n)/)],e=0;for(;e<Math.min(t.length,r.length)&&t[e]===r[e];)e+=1;let o=0;for(;o<Math.min(t.length,r.length)-e&&t.at(-1-o)===r.at(-1-o);)o+=1;let l=Math.max(0,e-2),a=Math.max(0,o-2),[g,c]=[t.slice(l,t.length-a),r.slice(l,r.length-a)],f=(h,$)=>$.map(u=>u.endsWith(`
`)?h+u:`${h}${u}
\\ No newline at end of file
`),p=({length:h})=>h===0?`${l},0`:`${l+1},${h}`;return[`--- a/${n}
+++ b/${n}
@@ -${p(g)} +${p(c)} @@
`,...f(" ",t.slice(l,e)),...f("-",t.slice(e,t.length-o)),...f("+",r.slice(e,r.length-o)),...f(" ",t.slice(t.length-o,t.length-a))].join("")}export{w as a,T as b,W as c,M as d,L as e};
