import{c as t,v as e}from"/assets/chunk-CHGHPYTV.js";function d(o){t(()=>{document.title=o?`${o} · ${e.shell.product}`:e.shell.product},[o])}export{d as a};
