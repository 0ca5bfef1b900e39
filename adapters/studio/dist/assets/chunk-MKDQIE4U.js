import{b as t,z as e}from"/assets/chunk-D3BFIYBD.js";function d(o){t(()=>{document.title=o?`${o} · ${e.shell.product}`:e.shell.product},[o])}export{d as a};
