import{c as t,v as e}from"/assets/chunk-GA2QKBBO.js";function d(o){t(()=>{document.title=o?`${o} · ${e.shell.product}`:e.shell.product},[o])}export{d as a};
