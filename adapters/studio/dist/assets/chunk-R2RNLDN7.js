import{c as t,x as e}from"/assets/chunk-VMMZBXQB.js";function d(o){t(()=>{document.title=o?`${o} · ${e.shell.product}`:e.shell.product},[o])}export{d as a};
