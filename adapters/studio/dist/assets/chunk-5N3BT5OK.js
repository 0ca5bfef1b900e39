import{c as t,k as e}from"/assets/chunk-L7A5MFHI.js";function d(o){t(()=>{document.title=o?`${o} · ${e.shell.product}`:e.shell.product},[o])}export{d as a};
