import{c as u}from"/assets/chunk-FGHRMQZ3.js";import{a as i,b as p}from"/assets/chunk-Z2DAGHVF.js";import{A as h,B as n,Ca as l,J as e,L as m,a as c,u as r,v as t}from"/assets/chunk-CHGHPYTV.js";var d=[["path",{d:"M12 2v2"}],["path",{d:"M14.837 16.385a6 6 0 1 1-7.223-7.222c.624-.147.97.66.715 1.248a4 4 0 0 0 5.26 5.259c.589-.255 1.396.09 1.248.715"}],["path",{d:"M16 12a4 4 0 0 0-4-4"}],["path",{d:"m19 5-1.256 1.256"}],["path",{d:"M20 12h2"}]];function L({children:a}){return e("header",{class:"visitor-bar",children:[e("a",{class:"visitor-bar__mark",href:"/",children:[e(u,{}),e("span",{children:t.shell.product})]}),e("div",{class:"visitor-bar__end",children:[e(f,{}),e(M,{}),a]})]})}function f(){let a=Object.keys(r).map(o=>({label:r[o],checked:n()===o,onSelect:()=>h(o)}));return e(l,{label:`${t.shell.language}: ${r[n()]}`,items:a,children:[e(m,{name:"globe"}),e("span",{class:"visitor-bar__language",children:r[n()]})]})}function M(){let[,a]=c(0),o=["system","light","dark"].map(s=>({label:t.shell.themes[s],checked:i()===s,onSelect:()=>{p(s),a(g=>g+1)}}));return e(l,{label:`${t.shell.theme}: ${t.shell.themes[i()]}`,icon:d,items:o})}export{L as a};
/*! Bundled license information:

lucide/dist/esm/icons/sun-moon.mjs:
  (**
   * @license lucide v1.65.0 - ISC
   *
   * This source code is licensed under the ISC license.
   * See the LICENSE file in the root directory of this source tree.
   *)
*/
