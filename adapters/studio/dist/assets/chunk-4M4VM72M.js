import{a as d}from"/assets/chunk-NDH7RV4J.js";import{a as i,b as u}from"/assets/chunk-JNBH6RZF.js";import{C as c,D as n,Ia as l,M as e,O as p,a as m,u as h,v as r,x as t}from"/assets/chunk-VMMZBXQB.js";var f=[["path",{d:"M12 2v2"}],["path",{d:"M14.837 16.385a6 6 0 1 1-7.223-7.222c.624-.147.97.66.715 1.248a4 4 0 0 0 5.26 5.259c.589-.255 1.396.09 1.248.715"}],["path",{d:"M16 12a4 4 0 0 0-4-4"}],["path",{d:"m19 5-1.256 1.256"}],["path",{d:"M20 12h2"}]];function y({children:a}){return e("header",{class:"visitor-bar",children:[e("a",{class:"visitor-bar__mark",href:"/",children:[e(d,{}),e("span",{children:t.shell.product})]}),e("div",{class:"visitor-bar__end",children:[e(M,{}),e(b,{}),a]})]})}function M(){let a=h.map(o=>({label:r(o),checked:n()===o,onSelect:()=>c(o)}));return e(l,{label:`${t.shell.language}: ${r(n())}`,items:a,children:[e(p,{name:"globe"}),e("span",{class:"visitor-bar__language",children:r(n())})]})}function b(){let[,a]=m(0),o=["system","light","dark"].map(s=>({label:t.shell.themes[s],checked:i()===s,onSelect:()=>{u(s),a(g=>g+1)}}));return e(l,{label:`${t.shell.theme}: ${t.shell.themes[i()]}`,icon:f,items:o})}export{y as a};
/*! Bundled license information:

lucide/dist/esm/icons/sun-moon.mjs:
  (**
   * @license lucide v1.65.0 - ISC
   *
   * This source code is licensed under the ISC license.
   * See the LICENSE file in the root directory of this source tree.
   *)
*/
