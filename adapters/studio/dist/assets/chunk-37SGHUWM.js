import{a as n,c as t}from"/assets/chunk-VMMZBXQB.js";function s(r,o){let[e,u]=n(null);return t(()=>{!o||e||r().then(p=>u(()=>p.default),()=>{})},[o]),e}export{s as a};
