function o(t,n,r){let e=t.line(Math.min(Math.max(1,n),t.lines));return Math.min(e.to,e.from+Math.max(0,r-1))}function m(t){return/\.[mc]?[tj]s$|\.[tj]sx$/.test(t)}export{o as a,m as b};
